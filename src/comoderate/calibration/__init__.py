"""Probabilities that mean what they say: calibrators, cross-fitting, correction of the base rate."""
