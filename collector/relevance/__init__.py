"""Which of 100 answers to a question do people find correct? Dense annotations, as in the Visual Dialog Challenge."""
