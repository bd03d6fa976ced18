// Package frameworks proves that bodies are seen to be sent with gin, echo, fiber,
// chi and fasthttp.
package frameworks

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"fixtures/statusrelay/upstream"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/render"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
	"github.com/valyala/fasthttp"
)

func body() (*http.Response, []byte, error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, b, err
}

func GinData(c *gin.Context) {
	resp, b, err := body()
	if err != nil {
		c.AbortWithStatus(http.StatusBadGateway)
		return
	}
	c.Data(http.StatusOK, resp.Header.Get("Content-Type"), b) // want `c.Data sends on what body got, whatever its status \(a failure of the upstream is answered 200\)`
}

func GinDataWithStatus(c *gin.Context) {
	resp, b, err := body()
	if err != nil {
		c.AbortWithStatus(http.StatusBadGateway)
		return
	}
	c.Data(resp.StatusCode, resp.Header.Get("Content-Type"), b)
}

func GinReader(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.AbortWithError(http.StatusBadGateway, err)
		return
	}
	defer resp.Body.Close()
	c.DataFromReader(http.StatusOK, resp.ContentLength, "text/plain", resp.Body, nil) // want `whatever its status`
}

func GinReaderWithStatus(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.AbortWithError(http.StatusBadGateway, err)
		return
	}
	defer resp.Body.Close()
	c.DataFromReader(resp.StatusCode, resp.ContentLength, "text/plain", resp.Body, nil)
}

func GinString(c *gin.Context) {
	_, b, err := body()
	if err != nil {
		c.String(http.StatusBadGateway, "%s", err)
		return
	}
	c.String(200, string(b)) // want `whatever its status`
}

func GinJSON(c *gin.Context) {
	_, b, err := body()
	if err != nil {
		c.JSON(http.StatusBadGateway, gin.H{"error": err.Error()})
		return
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		c.JSON(http.StatusBadGateway, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, v) // want `whatever its status`
}

func GinRawJSON(c *gin.Context) {
	_, b, err := body()
	if err != nil {
		c.JSON(http.StatusBadGateway, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, gin.H{"answer": json.RawMessage(b)}) // want `whatever its status`
}

func GinStatusInTheContent(c *gin.Context) {
	resp, b, err := body()
	if err != nil {
		c.JSON(http.StatusBadGateway, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, gin.H{"status": resp.StatusCode, "answer": string(b)})
}

func GinBadGateway(c *gin.Context) {
	_, b, err := body()
	if err != nil {
		return
	}
	c.JSON(http.StatusBadGateway, gin.H{"error": string(b)})
}

func GinWriter(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	c.Status(http.StatusOK)
	io.Copy(c.Writer, resp.Body) // want `whatever its status`
}

func GinWriterWithStatus(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	c.Status(resp.StatusCode)
	io.Copy(c.Writer, resp.Body)
}

func GinStream(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	scanner := bufio.NewScanner(resp.Body)
	c.Stream(func(w io.Writer) bool {
		if !scanner.Scan() {
			return false
		}
		fmt.Fprintf(w, "%s\n", scanner.Text()) // want `whatever its status`
		return true
	})
}

func GinEvents(c *gin.Context) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		c.Status(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	scanner := bufio.NewScanner(resp.Body)
	for scanner.Scan() {
		c.SSEvent("message", scanner.Text()) // want `whatever its status`
		c.Writer.Flush()
	}
}

func GinAbort(c *gin.Context) {
	resp, b, err := body()
	if err != nil {
		c.AbortWithStatus(http.StatusBadGateway)
		return
	}
	if resp.StatusCode >= 300 {
		c.AbortWithStatusJSON(resp.StatusCode, string(b))
		return
	}
	c.Data(200, "text/plain", b)
}

func EchoBlob(c echo.Context) error {
	_, b, err := body()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadGateway)
	}
	return c.Blob(http.StatusOK, "text/plain", b) // want `whatever its status`
}

func EchoBlobWithStatus(c echo.Context) error {
	resp, b, err := body()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadGateway)
	}
	return c.Blob(resp.StatusCode, "text/plain", b)
}

func EchoStream(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return echo.NewHTTPError(http.StatusBadGateway)
	}
	defer resp.Body.Close()
	return c.Stream(http.StatusOK, "text/plain", resp.Body) // want `whatever its status`
}

func EchoJSONBlob(c echo.Context) error {
	_, b, err := body()
	if err != nil {
		return c.NoContent(http.StatusBadGateway)
	}
	return c.JSONBlob(http.StatusOK, b) // want `whatever its status`
}

func EchoCopy(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.NoContent(http.StatusBadGateway)
	}
	defer resp.Body.Close()
	_, err = io.Copy(c.Response(), resp.Body) // want `whatever its status`
	return err
}

func EchoCopyToTheWriter(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.NoContent(http.StatusBadGateway)
	}
	defer resp.Body.Close()
	c.Response().WriteHeader(http.StatusOK)
	_, err = io.Copy(c.Response().Writer, resp.Body) // want `whatever its status`
	return err
}

func EchoCopyWithStatus(c echo.Context) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.NoContent(http.StatusBadGateway)
	}
	defer resp.Body.Close()
	c.Response().WriteHeader(resp.StatusCode)
	_, err = io.Copy(c.Response().Writer, resp.Body)
	return err
}

func EchoChecked(c echo.Context) error {
	resp, b, err := body()
	if err != nil || resp.StatusCode != http.StatusOK {
		return echo.NewHTTPError(http.StatusBadGateway, "upstream failed")
	}
	return c.String(http.StatusOK, string(b))
}

func FiberSend(c *fiber.Ctx) error {
	_, b, err := body()
	if err != nil {
		return fiber.ErrBadGateway
	}
	c.Set("Content-Type", "text/plain")
	return c.Send(b) // want `c.Send sends on what body got`
}

// The context of fiber is a way to answer too, but not where it is taken as a context.
func FiberContext(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, upstream.URL, nil)
	if err != nil {
		return fiber.ErrInternalServerError
	}
	resp, err := upstream.Client.Do(req)
	if err != nil {
		return fiber.ErrBadGateway
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return fiber.ErrBadGateway
	}
	return c.Send(b) // want `c.Send sends on what upstream.Client.Do got`
}

func FiberSendWithStatus(c *fiber.Ctx) error {
	resp, b, err := body()
	if err != nil {
		return fiber.ErrBadGateway
	}
	return c.Status(resp.StatusCode).Send(b)
}

// Nothing is sent before the handler returns.
func FiberSendThenStatus(c *fiber.Ctx) error {
	resp, b, err := body()
	if err != nil {
		return fiber.ErrBadGateway
	}
	if err := c.Send(b); err != nil {
		return err
	}
	c.Status(resp.StatusCode)
	return nil
}

func FiberHardCoded(c *fiber.Ctx) error {
	_, b, err := body()
	if err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	return c.Status(fiber.StatusOK).SendString(string(b)) // want `SendString sends on what body got`
}

func FiberBadGateway(c *fiber.Ctx) error {
	_, b, err := body()
	if err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	return c.Status(fiber.StatusBadGateway).SendString(string(b))
}

func FiberJSON(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	defer resp.Body.Close()
	var v any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	return c.JSON(v) // want `whatever its status`
}

func FiberStream(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	return c.SendStream(resp.Body) // want `whatever its status`
}

func FiberWrite(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	defer resp.Body.Close()
	_, err = io.Copy(c.Response().BodyWriter(), resp.Body) // want `whatever its status`
	return err
}

func FiberStreamWriter(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer resp.Body.Close()
		io.Copy(w, resp.Body) // want `whatever its status`
		w.Flush()
	})
	return nil
}

func FiberStreamWriterWithStatus(c *fiber.Ctx) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return c.SendStatus(fiber.StatusBadGateway)
	}
	c.Status(resp.StatusCode)
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer resp.Body.Close()
		io.Copy(w, resp.Body)
		w.Flush()
	})
	return nil
}

func FastHTTP(ctx *fasthttp.RequestCtx) {
	code, b, err := fasthttp.Get(nil, upstream.URL)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadGateway)
		return
	}
	ctx.SetStatusCode(code)
	ctx.SetBody(b)
}

func FastHTTPBlind(ctx *fasthttp.RequestCtx) {
	_, b, err := fasthttp.Get(nil, upstream.URL)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadGateway)
		return
	}
	ctx.SetBody(b) // want `ctx.SetBody sends on what fasthttp.Get got`
}

func ChiJSON(w http.ResponseWriter, r *http.Request) {
	_, b, err := body()
	if err != nil {
		render.Status(r, http.StatusBadGateway)
		render.PlainText(w, r, err.Error())
		return
	}
	var v any
	if json.Unmarshal(b, &v) != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	render.JSON(w, r, v) // want `render.JSON sends on what body got`
}

func ChiJSONWithStatus(w http.ResponseWriter, r *http.Request) {
	resp, b, err := body()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	render.Status(r, resp.StatusCode)
	render.PlainText(w, r, string(b))
}

func GinStringAndStatus(c *gin.Context) {
	resp, b, err := body()
	if err != nil {
		c.AbortWithStatus(http.StatusBadGateway)
		return
	}
	c.String(http.StatusOK, "%s %d", b, resp.StatusCode)
}
