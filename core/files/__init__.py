"""Files that come in and go out: how they are opened, held, named and written."""
