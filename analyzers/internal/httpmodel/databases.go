package httpmodel

import (
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A handle is a type whose values handlers need to reach a database.
type handle struct {
	pkgPath, typ string
	close        string   // the method that closes it
	declares     string   // the type that declares the method, if it is another
	olds         []string // the paths of older versions
}

var handles = []handle{
	{pkgPath: "database/sql", typ: "DB", close: "Close"},
	{pkgPath: "github.com/jackc/pgx/v5/pgxpool", typ: "Pool", close: "Close", olds: []string{"github.com/jackc/pgx/v4/pgxpool"}},
	{pkgPath: "github.com/redis/go-redis/v9", typ: "Client", close: "Close", declares: "baseClient", olds: []string{"github.com/go-redis/redis/v8"}},
	{pkgPath: "github.com/redis/go-redis/v9", typ: "ClusterClient", close: "Close", olds: []string{"github.com/go-redis/redis/v8"}},
	{pkgPath: "github.com/redis/go-redis/v9", typ: "UniversalClient", close: "Close", olds: []string{"github.com/go-redis/redis/v8"}},
	{pkgPath: "go.mongodb.org/mongo-driver/v2/mongo", typ: "Client", close: "Disconnect", olds: []string{"go.mongodb.org/mongo-driver/mongo"}},
}

// ClosesDatabase reports whether fn closes a handle to a database.
func ClosesDatabase(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() == nil {
		return false
	}
	for _, h := range handles {
		path := typeset.PkgPath(fn.Pkg())
		if fn.Name() != h.close || path != h.pkgPath && !slices.Contains(h.olds, path) {
			continue
		}
		if recv := fn.Signature().Recv().Type(); typeset.IsNamed(recv, path, h.typ) || h.declares != "" && typeset.IsNamed(recv, path, h.declares) {
			return true
		}
	}
	return false
}

// IsDatabase reports whether t is a handle to a database, or a pointer to one.
func IsDatabase(t types.Type) bool {
	return slices.ContainsFunc(handles, func(h handle) bool { return typeset.IsNamed(t, h.pkgPath, h.typ) })
}

// GivesDatabase reports whether fn, a method, returns the sql.DB below what it is a
// method of, as those of mappers do.
func GivesDatabase(fn *types.Func) bool {
	results := fn.Signature().Results()
	return fn.Signature().Recv() != nil && results.Len() > 0 && typeset.IsNamed(results.At(0).Type(), "database/sql", "DB")
}

// databaseEntries lists what this file names.
func databaseEntries() (entries []Entry) {
	for _, h := range handles {
		entries = append(entries, Entry{PkgPath: h.pkgPath, Type: h.typ, Name: h.close})
	}
	return entries
}
