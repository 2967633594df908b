"""Is everything in place before workers come? Checks of one study, each with what to do about it."""
