package httpmodel

import "slices"

// An Entry names a thing of a library that a table of this package speaks of.
type Entry struct {
	PkgPath string // of the package
	Type    string // a type's name; empty for a function, variable or constant of the package
	Name    string // of a method or field of the type, or of the package's thing; empty for the type itself
}

// Tables returns an entry for each thing that the tables of this package name. A
// test resolves them against the real libraries, which testdata/deps.go imports.
//
// A file with a table of its own, of whatever form suits its predicates, has a
// function that lists it, to be added here, say
//
//	func serverEntries() (entries []Entry) {
//		for name := range serveFuncs {
//			entries = append(entries, Entry{PkgPath: NetHTTP, Name: name})
//		}
//		return entries
//	}
func Tables() []Entry {
	return slices.Concat(
		answerEntries(),
		coreEntries(),
		databaseEntries(),
		failureEntries(),
		lifecycleEntries(),
		makerEntries(),
		poolEntries(),
		readerEntries(),
		resendEntries(),
		retryEntries(),
		serverEntries(),
		assertionEntries(),
	)
}

// coreEntries lists what httpmodel.go names.
func coreEntries() []Entry {
	return []Entry{
		{PkgPath: NetHTTP, Type: "Response"},
		{PkgPath: NetHTTP, Type: "Request"},
	}
}
