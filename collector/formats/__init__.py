"""How are figures and dates written, by language? Django looks here first."""
