package model

import (
	"net/http"
	"net/url"
	"strings"
)

// azureVersion is the API version for old Azure addresses that name none.
const azureVersion = "2024-10-21"

// isAzureHost reports whether a host is one of Azure's model servers.
func isAzureHost(host string) bool {
	return strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".cognitiveservices.azure.com") ||
		strings.HasSuffix(host, ".services.ai.azure.com")
}

// isOldAzure reports whether a base URL is an Azure address with the version in the query: …/openai/deployments/NAME,
// or any with api-version. Azure's v1 address works like OpenAI's.
func isOldAzure(u *url.URL) bool {
	return strings.Contains(u.Path, "/openai/deployments/") || u.Query().Has("api-version")
}

// SetKey adds the API key to a request, in the header that the server of the base URL expects.
func SetKey(header http.Header, base *url.URL, key string) {
	switch {
	case key == "":
	case isOldAzure(base):
		header.Set("Api-Key", key)
	default:
		header.Set("Authorization", "Bearer "+key)
	}
}
