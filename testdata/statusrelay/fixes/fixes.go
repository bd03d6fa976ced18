// Package fixes proves that the status is passed on where that is all that is
// missing, and that nothing is offered elsewhere.
package fixes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"fixtures/statusrelay/upstream"

	"github.com/gin-gonic/gin"
	"github.com/go-resty/resty/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
	"github.com/valyala/fasthttp"
)

func Bare(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func InAnIf(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil { // want `whatever its status`
		return
	}
}

func Assigned(w http.ResponseWriter, r *http.Request) {
	res, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	_, _ = io.Copy(w, res.Body) // want `whatever its status`
}

func InACase(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		io.Copy(w, resp.Body) // want `whatever its status`
		resp.Body.Close()
	}
}

func HardCoded(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(http.StatusOK)
	io.Copy(w, resp.Body) // want `whatever its status`
}

func HardCodedAsANumber(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(200)
	b, _ := io.ReadAll(resp.Body)
	fmt.Fprintln(w, string(b)) // want `whatever its status`
}

func HardCodedForALoop(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(http.StatusOK)
	buf := make([]byte, 64)
	for {
		n, err := resp.Body.Read(buf)
		w.Write(buf[:n]) // want `whatever its status`
		if err != nil {
			return
		}
	}
}

func Read(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	w.Write(b) // want `whatever its status`
}

func Encoded(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var v map[string]any
	json.NewDecoder(resp.Body).Decode(&v)
	json.NewEncoder(w).Encode(v) // want `whatever its status`
}

// One fix passes the status on wherever it is missing.
func TwoPlaces(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if r.URL.Query().Has("raw") {
		io.Copy(w, resp.Body) // want `whatever its status`
		return
	}
	b, _ := io.ReadAll(resp.Body)
	fmt.Fprintf(w, "<pre>%s</pre>", b)
}

func write(w http.ResponseWriter, code int, b []byte) {
	w.WriteHeader(code)
	w.Write(b)
}

func ByAHelper(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	write(w, http.StatusOK, b) // want `whatever its status`
}

func pour(dst io.Writer, src io.Reader) { io.Copy(dst, src) }

func ByACopier(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	pour(w, resp.Body) // want `whatever its status`
}

func GinData(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	c.Data(http.StatusOK, resp.Header.Get("Content-Type"), b) // want `whatever its status`
}

func GinReader(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	c.DataFromReader(200, resp.ContentLength, "text/plain", resp.Body, nil) // want `whatever its status`
}

func GinJSON(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var v map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	c.JSON(http.StatusOK, v) // want `whatever its status`
}

func GinStatus(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	c.Status(http.StatusOK)
	io.Copy(c.Writer, resp.Body) // want `whatever its status`
}

func GinWriter(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(c.Writer, resp.Body) // want `whatever its status`
}

func GinResty(c *gin.Context) {
	resp, err := resty.NewWithClient(upstream.Client).R().Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	c.Data(http.StatusOK, "application/json", resp.Body()) // want `whatever its status`
}

func EchoBlob(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return c.Blob(http.StatusOK, "text/plain", b) // want `whatever its status`
}

func EchoStream(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return c.Stream(200, "text/plain", resp.Body) // want `whatever its status`
}

func EchoJSONBlob(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return c.JSONBlob(http.StatusOK, b) // want `whatever its status`
}

func EchoCopy(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(c.Response(), resp.Body) // want `whatever its status`
	return err
}

func FiberSend(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return c.Send(b) // want `whatever its status`
}

func FiberType(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return c.Type("json").Send(b) // want `whatever its status`
}

func FiberHardCoded(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return c.Status(fiber.StatusOK).Send(b) // want `whatever its status`
}

func FastHTTP(ctx *fasthttp.RequestCtx) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(upstream.URL)
	if err := fasthttp.Do(req, resp); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadGateway)
		return
	}
	ctx.SetBody(resp.Body()) // want `whatever its status`
}

// Created: from here on no fix is offered. What the code says is more than success.
func Created(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(http.StatusCreated)
	io.Copy(w, resp.Body) // want `whatever its status`
}

func WroteBefore(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.WriteString(w, "# list\n")
	io.Copy(w, resp.Body) // want `whatever its status`
}

func InALoop(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	buf := make([]byte, 64)
	for {
		n, err := resp.Body.Read(buf)
		w.Write(buf[:n]) // want `whatever its status`
		if err != nil {
			return
		}
	}
}

// The response may not be there.
func Perhaps(w http.ResponseWriter, r *http.Request) {
	b := []byte("nothing")
	resp, err := upstream.Client.Get(upstream.URL)
	if err == nil {
		defer resp.Body.Close()
		b, _ = io.ReadAll(resp.Body)
	}
	w.Write(b) // want `whatever its status`
}

// Another has the name.
func Shadowed(w http.ResponseWriter, r *http.Request) {
	var b []byte
	{
		resp, err := upstream.Client.Get(upstream.URL)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		b, _ = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	resp := string(b)
	io.WriteString(w, resp) // want `whatever its status`
}

// The status is set before there is one.
func TooEarly(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func fetch() ([]byte, error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func OutOfSight(w http.ResponseWriter, r *http.Request) {
	b, err := fetch()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(b) // want `whatever its status`
}

func relay(w http.ResponseWriter, resp *http.Response) {
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	io.Copy(w, resp.Body)
}

// The helper would set the header too late.
func HeadersByAHelper(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	relay(w, resp) // want `whatever its status`
}
