"""Work in threads, in turn, and in processes with bounds."""
