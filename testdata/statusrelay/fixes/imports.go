package fixes

import (
	"net/http"

	"fixtures/statusrelay/upstream"

	"github.com/gin-gonic/gin"
	"github.com/go-resty/resty/v2"
)

// The file uses net/http for nothing but the status.
func LastUse(c *gin.Context) {
	resp, err := resty.NewWithClient(upstream.Client).R().Get(upstream.URL)
	if err != nil {
		c.AbortWithError(502, err)
		return
	}
	c.Data(http.StatusOK, "application/json", resp.Body()) // want `whatever its status`
}
