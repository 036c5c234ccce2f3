"""Where scikit-learn begins: fitted models and certified classifiers."""
