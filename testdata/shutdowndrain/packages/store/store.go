// Package store proves that a database in a struct is followed: package packages
// closes it.
package store

import (
	"context"
	"database/sql"
	"net/http"
)

// Answering is called when a request is in flight.
var Answering = func() {}

// A Store is a store.
type Store struct{ db *sql.DB }

// Open returns a store in db.
func Open(db *sql.DB) (*Store, error) {
	if err := db.Ping(); err != nil {
		return nil, err
	}
	return &Store{db: db}, nil
}

// Get asks the database.
func (s *Store) Get(ctx context.Context) error { return s.db.PingContext(ctx) }

// ServeHTTP answers from the database.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Answering()
	if err := s.Get(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }
