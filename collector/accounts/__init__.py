"""Who may do what on the desk, and what they did."""
