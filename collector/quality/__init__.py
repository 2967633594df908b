"""What should a person look at in what workers wrote? Flags with their evidence: none pays, rejects or blames."""
