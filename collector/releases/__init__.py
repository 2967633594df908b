"""What is given away for good: a bundle of data with all that a reader must know, and what each one held."""
