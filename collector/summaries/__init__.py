"""One worker watches a video and writes down what happens in it: AVSD, appendix J."""
