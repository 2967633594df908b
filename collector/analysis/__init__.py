"""What does a collection look like, and how good is it? Read only: texts in, figures with their definitions out."""
