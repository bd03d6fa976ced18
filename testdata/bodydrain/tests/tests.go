// Package tests proves that nothing is reported in test files: a test process lives
// too short for it to matter.
package tests
