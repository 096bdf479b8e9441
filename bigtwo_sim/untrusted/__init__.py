"""What comes from outside: files, texts and other people's code, checked before anything relies on it."""
