// Package shutdowndrain defines an Analyzer that reports shutdowns of servers that
// cannot drain.
//
// # Analyzer shutdowndrain
//
// shutdowndrain: report shutdowns that cut off the requests they should wait for
//
// A server that is told to stop should stop listening, answer what it has begun, and
// then let the process end. Shutdown does this within the time of its context. On a
// context that is done already it closes the listeners, returns, and leaves the
// requests in flight to be cut off when main returns. If nothing was in flight it
// returns nil, so tests without traffic never see it:
//
//	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
//	defer stop()
//	go srv.ListenAndServe()
//	<-ctx.Done()
//	srv.Shutdown(ctx) // ctx is done: nothing is waited for
//
// Give it time of its own:
//
//	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
//	defer cancel()
//	srv.Shutdown(ctx)
//
// Reported are
//
//   - Shutdown on a context that is done: that of signal.NotifyContext, one that was
//     just waited for, an errgroup's after Wait, one derived from these, one whose
//     cancel was called, or whose deadline runs from the start of the program;
//   - a function that returns, or a process that ends, while Shutdown is still at
//     work in a goroutine: net/http's and echo's Serve return ErrServerClosed when
//     Shutdown begins, fiber's Listen and fasthttp's Serve return nil then, and
//     log.Fatal(srv.ListenAndServe()) ends the process;
//   - Close of a server, or Stop of grpc's, at a signal or when the context of the
//     caller ends, where nothing drains it, or before its Shutdown;
//   - what handlers need ended before Shutdown is through, or in a hook of
//     RegisterOnShutdown, which runs at its start: the base context, or what a handler
//     puts in its place, a database
//     (database/sql's, pgx's, redis's, mongo's), a channel to which they send, a type
//     of the package whose methods return an error once its Close has set a flag;
//   - a wait before Shutdown that a context which is done already cuts short, a
//     Shutdown right after the readiness was turned, or beside a readiness probe
//     (/readyz, /ready) that never fails and with no wait before;
//   - waits and shutdowns, each within a constant time of its own, that are together
//     longer than the grace period, -shutdowndrain.grace (30s).
//
// grpc's Serve returns when Stop or GracefulStop is through: to return after it is
// right. Helpers are followed, those of other packages too if they are not long; a
// fault that only their caller makes is reported there.
//
// # Not reported
//
//   - What is not proven: a context, a channel or a group that goes where the pass
//     cannot follow.
//   - Close after Shutdown has failed, in a watchdog, or of a side server (metrics,
//     pprof, a login's callback), told by its name; a server that is there for one
//     answer.
//   - Lifecycle frameworks that hand in a fresh context; test files, and packages that are
//     there for tests by their path.
//   - One deadline that a wait and a shutdown share, and drains side by side.
//
// # How to silence
//
//	srv.Close() //nolint:shutdowndrain // the reason
package shutdowndrain
