package model

import (
	"net/http"
	"net/url"
	"strings"
)

// azureVersion is the version of Azure's API at addresses that name none.
const azureVersion = "2024-10-21"

// isAzureHost reports whether a host is one of Azure's servers of models.
func isAzureHost(host string) bool {
	return strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".cognitiveservices.azure.com") ||
		strings.HasSuffix(host, ".services.ai.azure.com")
}

// isOldAzure reports whether a base URL is one of Azure's addresses with a version in the query, by its shape:
// …/openai/deployments/NAME, or one with api-version. Its v1 address is like OpenAI's.
func isOldAzure(u *url.URL) bool {
	return strings.Contains(u.Path, "/openai/deployments/") || u.Query().Has("api-version")
}

// SetKey adds the API key to a request as the server of the base URL wants it.
func SetKey(header http.Header, base *url.URL, key string) {
	switch {
	case key == "":
	case isOldAzure(base):
		header.Set("Api-Key", key)
	default:
		header.Set("Authorization", "Bearer "+key)
	}
}
