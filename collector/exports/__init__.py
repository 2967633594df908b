"""What leaves: datasets in the shapes other people load."""
