// Package libs proves that the rule holds for other servers than net/http's, each by
// the way in which its Serve comes back. Each function is all that a main does: its
// server is told to stop by SIGTERM.
package libs

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
	fiberthree "github.com/gofiber/fiber/v3"
	"github.com/labstack/echo/v4"
	echofive "github.com/labstack/echo/v5"
	"github.com/valyala/fasthttp"
	"google.golang.org/grpc"
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

func EchoDone(e *echo.Echo) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go e.Start("")
	<-ctx.Done()
	if err := e.Shutdown(ctx); err != nil { // want `ctx is already done when e.Shutdown is called`
		log.Print(err)
	}
}

func EchoFresh(e *echo.Echo) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		if err := e.Start(""); err != nil && !errors.Is(err, http.ErrServerClosed) {
			e.Logger.Fatal(err)
		}
	}()
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	e.Shutdown(ctx)
}

func EchoFatal(e *echo.Echo) {
	go func() {
		e.Logger.Fatal(e.Start("")) // want `e.Logger.Fatal ends the process while a shutdown is at work`
	}()
	<-term()
	e.Shutdown(context.Background())
}

func EchoNobody(e *echo.Echo) {
	go func() {
		<-term()
		e.Shutdown(context.Background()) // want `nobody waits for e.Shutdown to return`
	}()
	e.Start("")
}

func FiberNobody(app *fiber.App, ln net.Listener) {
	go func() {
		<-term()
		app.Shutdown() // want `nobody waits for app.Shutdown to return`
	}()
	if err := app.Listener(ln); err != nil {
		log.Panic(err)
	}
}

func FiberWaits(app *fiber.App, ln net.Listener) {
	down := make(chan struct{})
	go func() {
		<-term()
		app.ShutdownWithTimeout(10 * time.Second)
		close(down)
	}()
	if err := app.Listener(ln); err != nil {
		log.Panic(err)
	}
	<-down
}

func FiberDone(app *fiber.App, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go app.Listener(ln)
	<-ctx.Done()
	app.ShutdownWithContext(ctx) // want `ctx is already done`
}

func FasthttpNobody(srv *fasthttp.Server, ln net.Listener) {
	go func() {
		<-term()
		srv.Shutdown() // want `nobody waits for srv.Shutdown to return`
	}()
	srv.Serve(ln)
}

func FasthttpInMain(srv *fasthttp.Server, ln net.Listener) {
	go func() {
		if err := srv.Serve(ln); err != nil {
			log.Fatal(err)
		}
	}()
	<-term()
	srv.ShutdownWithContext(context.Background())
}

// Serve comes back when GracefulStop is through.
func GRPCServe(srv *grpc.Server, ln net.Listener) {
	go func() {
		<-term()
		srv.GracefulStop()
	}()
	if err := srv.Serve(ln); err != nil {
		log.Fatal(err)
	}
}

func GRPCStop(srv *grpc.Server, ln net.Listener) {
	go srv.Serve(ln)
	<-term()
	srv.Stop() // want `srv.Stop stops the server without draining it`
}

func GRPCStopLate(srv *grpc.Server, ln net.Listener) {
	go srv.Serve(ln)
	<-term()
	done := make(chan struct{})
	go func() {
		srv.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		srv.Stop()
	}
}

// The process ends at the signal, beside GracefulStop.
func GRPCBeside(srv *grpc.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	go func() {
		<-ctx.Done()
		srv.GracefulStop() // want `nobody waits for srv.GracefulStop to return`
	}()
	<-ctx.Done()
}

func FiberThreeNobody(app *fiberthree.App, ln net.Listener) {
	go func() {
		<-term()
		app.Shutdown() // want `nobody waits for app\.Shutdown to return`
	}()
	if err := app.Listener(ln); err != nil {
		log.Fatal(err)
	}
}

func FiberThreeWaits(app *fiberthree.App, ln net.Listener) {
	down := make(chan struct{})
	go func() {
		defer close(down)
		<-term()
		app.Shutdown()
	}()
	if err := app.Listener(ln); err != nil {
		log.Fatal(err)
	}
	<-down
}

// Echo five shuts itself down when its context ends, and is back after that.
func EchoFiveServe(e *echofive.Echo, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	sc := echofive.StartConfig{Listener: ln, HideBanner: true, HidePort: true}
	if err := sc.Start(ctx, e); err != nil {
		log.Fatal(err)
	}
}

func EchoFiveBeside(e *echofive.Echo, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	sc := echofive.StartConfig{Listener: ln, HideBanner: true, HidePort: true}
	go func() {
		if err := sc.Start(ctx, e); err != nil { // want `nobody waits for sc\.Start to return`
			log.Print(err)
		}
	}()
	<-ctx.Done()
}
