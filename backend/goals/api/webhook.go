package api

// Webhook is a webhook of the user. Its address is not shown.
type Webhook struct {
	Name      string   `json:"name"`
	Form      string   `json:"form"`   // ntfy, slack, teams or generic
	Events    []string `json:"events"` // needs_you, ended, digest
	PlainHTTP bool     `json:"plain_http"`
	Host      string   `json:"host"`      // of its address; "" if none is stored
	FailedAt  string   `json:"failed_at"` // when the last delivery failed, "" if it arrived
	Failure   string   `json:"failure"`   // why
}

// ArgsSaveWebhook adds a webhook, or changes the one with its name.
type ArgsSaveWebhook struct {
	Name      string   `json:"name"`
	Form      string   `json:"form"`
	Events    []string `json:"events"`
	PlainHTTP bool     `json:"plain_http"`
	URL       string   `json:"url"` // "" keeps the stored one
}

// WebhookTest is the outcome of a test that arrived.
type WebhookTest struct {
	Status    int   `json:"status"` // of the answer
	ElapsedMS int64 `json:"elapsed_ms"`
}
