"""Two tables of the same people: how what is released still tells which record is whose."""
