"""What we keep of people: it is removed when its time is over, shown to who asks for it, and erased at their wish."""
