"""The fields of a certificate: plain numbers and arrays, their file, assumptions in words."""
