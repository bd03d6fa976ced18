// Package tests proves that nothing is reported in test files, and in files that help
// tests: a test process lives too short for it to matter.
package tests
