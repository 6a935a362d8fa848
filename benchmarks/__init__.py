"""Whole questions asked of the product as a user asks them, plain baselines beside each figure.

Data is given by path (`--data DIR`) and never part of the repository.
"""
