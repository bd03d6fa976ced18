// Package mock is a mock as libraries have them: it ends the test that it was given,
// if any, when a call is not expected.
package mock

import "sync"

// A TestingT is a test.
type TestingT interface {
	Errorf(format string, args ...any)
	FailNow()
}

// A Mock stands for an object. It is embedded in a type with the object's methods.
type Mock struct {
	mu       sync.Mutex
	test     TestingT
	expected map[string]string
}

// Test tells m which test to fail.
func (m *Mock) Test(t TestingT) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.test = t
}

// On tells m what a call of the method returns.
func (m *Mock) On(method, result string) *Mock {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.expected == nil {
		m.expected = make(map[string]string)
	}
	m.expected[method] = result
	return m
}

// Called returns the result of a call.
func (m *Mock) Called(method string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	result, ok := m.expected[method]
	if !ok {
		m.fail("unexpected call of %s", method)
	}
	return result
}

func (m *Mock) fail(format string, args ...any) {
	if m.test == nil {
		panic(format)
	}
	m.test.Errorf(format, args...)
	m.test.FailNow()
}

// AssertExpectations reports to t what was not called.
func (m *Mock) AssertExpectations(t TestingT) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.expected) > 0 {
		t.Errorf("not called")
	}
	return len(m.expected) == 0
}

// A Store is a generated mock.
type Store struct{ Mock }

// NewStore returns a mock for a test.
func NewStore(t interface {
	TestingT
	Cleanup(func())
}) *Store {
	s := &Store{}
	s.Mock.Test(t)
	t.Cleanup(func() { s.AssertExpectations(t) })
	return s
}

// Load returns what the test wants.
func (s *Store) Load(string) string { return s.Called("Load") }
