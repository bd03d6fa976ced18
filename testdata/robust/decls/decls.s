// The functions without a body would be here. Nothing links this package.
