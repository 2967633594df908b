"""What whoever runs the market can change: clock, money, faults, workers."""
