// Package databases proves that the handles of other databases than those of package
// sql must last as long as the drain too. Only the order of the calls is looked at, so
// that no database is needed to see it.
package databases

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}

func drain(srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Print(err)
	}
}

func Pool(pool *pgxpool.Pool) {
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := pool.Ping(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})}
	go srv.ListenAndServe()
	<-term()
	pool.Close() // want `pool\.Close comes before the server is drained`
	drain(srv)
}

func PoolBehind(pool *pgxpool.Pool) {
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := pool.Ping(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})}
	go srv.ListenAndServe()
	<-term()
	drain(srv)
	pool.Close()
}

// A store is what handlers use.
type store struct {
	cache   *redis.Client
	cluster redis.UniversalClient
	docs    *mongo.Client
	db      *gorm.DB
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.cache.Get(r.Context(), "a")
	s.cluster.Get(r.Context(), "a")
	s.docs.Ping(r.Context(), nil)
	s.db.Exec("select 1")
}

func Redis(s *store) {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	if err := s.cache.Close(); err != nil { // want `s\.cache\.Close comes before the server is drained`
		log.Print(err)
	}
	drain(srv)
}

func RedisDeferred(s *store) {
	srv := &http.Server{Handler: s}
	defer s.cache.Close()
	go srv.ListenAndServe()
	<-term()
	drain(srv)
}

func RedisDeferredFirst(s *store) {
	srv := &http.Server{Handler: s}
	defer drain(srv)
	defer s.cluster.Close() // want `s\.cluster\.Close comes before the server is drained`
	go srv.ListenAndServe()
	<-term()
}

func RedisHook(s *store, srv *http.Server) {
	srv.Handler = s
	srv.RegisterOnShutdown(func() { s.cache.Close() }) // want `s\.cache\.Close runs at the start of the shutdown`
	go srv.ListenAndServe()
	<-term()
	drain(srv)
}

func Mongo(s *store) {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.docs.Disconnect(ctx) // want `s\.docs\.Disconnect comes before the server is drained`
	srv.Shutdown(ctx)
}

func MongoBehind(s *store) {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	srv.Shutdown(ctx)
	s.docs.Disconnect(ctx)
}

func Gorm(s *store) error {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	db, err := s.db.DB()
	if err != nil {
		return err
	}
	db.Close() // want `db\.Close comes before the server is drained`
	drain(srv)
	return nil
}

func GormBehind(s *store) error {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	drain(srv)
	db, err := s.db.DB()
	if err != nil {
		return err
	}
	return db.Close()
}

// A cache of another part is none that handlers use.
func Unused(s *store, other *redis.Client) {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	other.Close()
	drain(srv)
}

// Closed from a list.
func Listed(s *store) {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	for _, c := range []io.Closer{s.cache} {
		c.Close() // want `c\.Close comes before the server is drained`
	}
	drain(srv)
}

func ListedBehind(s *store) {
	srv := &http.Server{Handler: s}
	go srv.ListenAndServe()
	<-term()
	drain(srv)
	for _, c := range []io.Closer{s.cache} {
		c.Close()
	}
}

func Appended(s *store, srv *http.Server) {
	var ends []func()
	ends = append(ends, func() { s.cache.Close() }) // want `s\.cache\.Close comes before the server is drained`
	ends = append(ends, func() { drain(srv) })
	go srv.ListenAndServe()
	<-term()
	for _, end := range ends {
		end()
	}
}

func AppendedLastFirst(s *store, srv *http.Server) {
	var ends []func()
	ends = append(ends, func() { s.cache.Close() })
	ends = append(ends, func() { drain(srv) })
	go srv.ListenAndServe()
	<-term()
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i]()
	}
}
