"""Settings and options as data: described once, asked on pages and by commands, kept in files."""
