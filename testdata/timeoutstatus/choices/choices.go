// Package choices proves that a status is chosen wherever its value goes: written
// in any framework, returned, assigned and written later, or put into an error.
package choices

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"

	"fixtures/timeoutstatus/apierr"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/render"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
)

func isNet(err error) bool {
	var ne net.Error
	return errors.As(err, &ne)
}

func WriteHeader(w http.ResponseWriter, err error) {
	if isNet(err) {
		w.WriteHeader(http.StatusGatewayTimeout) // want "answered 504"
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}

func Error(w http.ResponseWriter, err error) {
	if isNet(err) {
		http.Error(w, http.StatusText(http.StatusGatewayTimeout), http.StatusGatewayTimeout) // want "answered 504"
		return
	}
	http.Error(w, "bad gateway", http.StatusBadGateway)
}

func Gin(c *gin.Context, err error) {
	if isNet(err) {
		c.AbortWithStatusJSON(http.StatusGatewayTimeout, gin.H{"code": 504}) // want "answered 504"
		return
	}
	c.AbortWithStatus(http.StatusBadGateway)
}

func Echo(c echo.Context, err error) error {
	if isNet(err) {
		return c.JSON(http.StatusRequestTimeout, echo.Map{"error": "slow"}) // want "answered 408"
	}
	return c.NoContent(http.StatusBadGateway)
}

func EchoError(c echo.Context, err error) error {
	if isNet(err) {
		return echo.NewHTTPError(504, "slow") // want "answered 504"
	}
	return echo.NewHTTPError(502)
}

func EchoErrorVariable(c echo.Context, err error) error {
	if isNet(err) {
		return echo.ErrGatewayTimeout // want "answered 504"
	}
	return echo.ErrBadGateway
}

func Fiber(c *fiber.Ctx, err error) error {
	if isNet(err) {
		return c.Status(fiber.StatusGatewayTimeout).JSON(fiber.Map{"error": "slow"}) // want "answered 504"
	}
	return c.SendStatus(fiber.StatusBadGateway)
}

func FiberError(c *fiber.Ctx, err error) error {
	if isNet(err) {
		return fiber.ErrRequestTimeout // want "answered 408"
	}
	return fiber.NewError(fiber.StatusBadGateway)
}

func Chi(w http.ResponseWriter, r *http.Request, err error) {
	if isNet(err) {
		render.Status(r, http.StatusGatewayTimeout) // want "answered 504"
	} else {
		render.Status(r, http.StatusBadGateway)
	}
	render.JSON(w, r, map[string]string{"error": err.Error()})
}

const tooSlow = 504

func Constant(err error) int {
	if isNet(err) {
		return tooSlow // want "answered 504"
	}
	return 502
}

func NamedResult(err error) (code int) {
	code = 502
	if isNet(err) {
		code = 504 // want "answered 504"
	}
	return
}

func Assigned(w http.ResponseWriter, err error) {
	var code int
	if isNet(err) {
		code = 504 // want "answered 504"
	} else {
		code = 502
	}
	log.Print(code)
	w.WriteHeader(code)
}

func AssignedToTwo(w http.ResponseWriter, err error) {
	code, text := 502, "bad"
	if isNet(err) {
		code, text = 504, "slow" // want "answered 504"
	}
	http.Error(w, text, code)
}

func AssignedToAField(err error) *apierr.Error {
	e := &apierr.Error{Code: 500}
	if isNet(err) {
		e.Code = 504 // want "answered 504"
	}
	return e
}

func ErrorValue(err error) error {
	if isNet(err) {
		return &apierr.Error{Code: http.StatusGatewayTimeout, Err: err} // want "answered 504"
	}
	return &apierr.Error{Code: http.StatusBadGateway, Err: err}
}

func ErrorValueCorrected(err error) error {
	e := &apierr.Error{Code: http.StatusGatewayTimeout, Err: err}
	var ne net.Error
	if !errors.As(err, &ne) || !ne.Timeout() {
		e.Code = http.StatusBadGateway
	}
	return e
}

func ErrorValueNotCorrected(err error) error {
	e := &apierr.Error{Code: http.StatusGatewayTimeout, Err: err} // want "answered 504"
	if !isNet(err) {
		e.Code = http.StatusBadGateway
	}
	return e
}

func ErrorVariable(err error) error {
	if isNet(err) {
		return apierr.ErrSlow // want "answered 504"
	}
	return apierr.ErrBad
}

func ErrorConstructor(err error) error {
	if isNet(err) {
		return apierr.Slow("upstream") // want "answered 504"
	}
	return apierr.Bad("upstream")
}

func ErrorConstructorOfANumber(err error) error {
	if isNet(err) {
		return fmt.Errorf("upstream: %w", apierr.New(504)) // want "answered 504"
	}
	return apierr.New(502)
}

func slow(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusGatewayTimeout)
}

// slow always answers with 504, so to call it is to choose.
func HelperThatAlwaysAnswers(w http.ResponseWriter, err error) {
	if isNet(err) {
		slow(w) // want "answered 504"
		return
	}
	w.WriteHeader(502)
}

func HelperThatGetsTheNumber(w http.ResponseWriter, err error) {
	answer := func(code int) { w.WriteHeader(code) }
	if isNet(err) {
		answer(504) // want "answered 504"
		return
	}
	answer(502)
}

func InAMap(w http.ResponseWriter, err error) {
	body := map[string]any{"status": 502}
	if isNet(err) {
		body["status"] = 504 // want "answered 504"
	}
	b, _ := json.Marshal(body)
	w.WriteHeader(body["status"].(int))
	_, _ = w.Write(b)
}

func InADeferredFunction(w http.ResponseWriter, in error) (err error) {
	defer func() {
		if isNet(err) {
			w.WriteHeader(504) // want "answered 504"
		} else {
			w.WriteHeader(502)
		}
	}()
	return in
}

// One variable holds another failure on each path.
func DeferredForTwo(in error) (code int) {
	var err error
	defer func() {
		if isNet(err) {
			code = 504 // want "answered 504"
		}
	}()
	if in == nil {
		_, err = net.Dial("tcp", "127.0.0.1:0")
	} else {
		err = in
	}
	return 502
}

func WrittenByADeferredFunction(w http.ResponseWriter, err error) {
	code := 502
	defer func() { w.WriteHeader(code) }()
	if isNet(err) {
		code = 504 // want "answered 504"
	}
}

func InAPanic(w http.ResponseWriter, err error) {
	defer func() {
		if e, ok := recover().(*apierr.Error); ok {
			w.WriteHeader(e.Code)
		}
	}()
	var ne net.Error
	if errors.As(err, &ne) {
		panic(&apierr.Error{Code: 504}) // want "answered 504"
	}
	panic(&apierr.Error{Code: 502})
}

type option func(*apierr.Error)

func status(code int) option { return func(e *apierr.Error) { e.Code = code } }

func InAnOption(err error) error {
	options := []option{status(502)}
	if isNet(err) {
		options = append(options, status(504)) // want "answered 504"
	}
	e := new(apierr.Error)
	for _, o := range options {
		o(e)
	}
	return e
}
