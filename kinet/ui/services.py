"""What the window needs from the rest of the program, as protocols of its own."""
