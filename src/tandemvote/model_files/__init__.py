"""Files with certified classifiers."""
