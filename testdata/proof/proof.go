// Package proof holds the tests that run the fixtures and show each finding to be
// a fact: what a pass reports goes wrong at run time, what it leaves alone does not.
package proof
