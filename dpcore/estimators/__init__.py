"""scikit-learn estimators: private k-means, private coresets, and an accountant for them."""
