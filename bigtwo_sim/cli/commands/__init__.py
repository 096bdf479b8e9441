"""One file a command; a file is imported when its command is called."""
