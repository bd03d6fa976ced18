// Package callforms proves that a call is known in each form that it can be written
// in: by a renamed or a dot import, a method value, an embedded type, a generic
// function, in parentheses; and that a shadowing name is not taken for it.
package callforms

import (
	"io"
	. "net/http"
	web "net/http"

	"fixtures/transportreuse/makers/lib"
)

func read(resp *web.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func Renamed(url string) error {
	c := &web.Client{Transport: &web.Transport{}} // want `web.Transport{} makes`
	return read(c.Get(url))
}

func Dot(url string) error {
	c := &Client{Transport: &Transport{}} // want `Transport{} makes`
	return read(c.Get(url))
}

func MethodValue(url string) error {
	c := &web.Client{Transport: &web.Transport{}} // want `web.Transport{} makes`
	get := c.Get
	return read(get(url))
}

func MethodExpression(url string) error {
	c := &web.Client{Transport: &web.Transport{}} // want `web.Transport{} makes`
	return read((*web.Client).Get(c, url))
}

type client struct{ *web.Client }

func EmbeddedClient(url string) error {
	c := client{&web.Client{Transport: &web.Transport{}}} // want `web.Transport{} makes`
	return read(c.Get(url))
}

type api struct{ *lib.API }

func EmbeddedAPI(url string) error {
	a := api{lib.New("")} // want `lib.New makes`
	return a.Get(url)
}

func makeOf[T any](make func() T) T { return make() }

func Generic(url string) error {
	c := identity(&web.Client{Transport: &web.Transport{}}) // want `web.Transport{} makes`
	return read(c.Get(url))
}

func identity[T any](x T) T { return x }

func Instantiated(url string) error {
	c := identity[*web.Client](&web.Client{Transport: &web.Transport{}}) // want `web.Transport{} makes`
	return read(c.Get(url))
}

type box[T any] struct{ c *web.Client }

func newBox[T any]() *box[T] { return &box[T]{&web.Client{Transport: &web.Transport{}}} }

func (b *box[T]) Get(url string) error { return read(b.c.Get(url)) }

func GenericType(url string) error {
	return newBox[int]().Get(url) // want `newBox\[int\] makes`
}

func Parenthesised(url string) error {
	c := (&web.Client{Transport: (&web.Transport{})}) // want `web.Transport{} makes`
	return read((c.Get)(url))
}

type alias = web.Transport

func Alias(url string) error {
	c := &web.Client{Transport: &alias{}} // want `alias{} makes`
	return read(c.Get(url))
}

type defined web.Transport

// Defined converts a literal of a type of its own.
func Defined(url string) error {
	tr := web.Transport(web.Transport{}) // want `web.Transport{} makes`
	return read((&web.Client{Transport: &tr}).Get(url))
}

func NamedResult(url string) (c *web.Client, err error) {
	c = &web.Client{Transport: &web.Transport{}}
	err = read(c.Get(url))
	return
}

func UseNamedResult(url string) error {
	c, err := NamedResult(url) // want `NamedResult makes`
	if err != nil {
		return err
	}
	return read(c.Get(url))
}

func Shadowed(url string) error {
	http := fake{}
	tr := http.Transport()
	return tr.Get(url)
}

type fake struct{}

func (fake) Transport() fake { return fake{} }

func (fake) Get(url string) error { return read(web.Get(url)) }
