package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/catalog"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// overflow is a provider's error for a conversation that does not fit.
type overflow struct {
	status int
	body   string
}

func said(status int, words string) overflow {
	b, err := json.Marshal(words)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return overflow{status, `{"error":{"message":` + string(b) + `}}`}
}

// overflows returns the known errors of each provider.
func overflows() map[string]overflow {
	return map[string]overflow{
		"OpenAI": {400, `{"error":{"message":"Your input exceeds the context window of this model.",` +
			`"type":"invalid_request_error","code":"context_length_exceeded"}}`},
		"OpenAI, old":    said(400, "This model's maximum context length is 8192 tokens. However, you requested 9000."),
		"OpenAI, a part": {400, `{"error":{"message":"Invalid 'messages[2].content'","code":"string_above_max_length"}}`},
		"Azure":          {400, `{"error":{"message":"too big","code":"context_length_exceeded"}}`},
		"Anthropic":      said(400, "prompt is too long: 210000 tokens > 200000 maximum"),
		"Anthropic, with the reply": said(400,
			"input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"),
		"Anthropic, bytes": {
			413,
			`{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the size"}}`,
		},
		"Anthropic, tier": said(429, "Extra usage is required for long context requests."),
		"Anthropic, beta": said(400, "The long context beta is not yet available for this subscription."),
		"Bedrock":         {400, `{"message":"Input is too long for requested model."}`},
		"Gemini": {400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of ` +
			`tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`},
		"Vertex": said(400, "Input context is too long"),
		"xAI": {
			400,
			`{"code":"bad","error":"This model's maximum prompt length is 131072 but the request contains 537812."}`,
		},
		"Groq":       said(413, "Request too large for model x"),
		"Groq, 429":  said(429, "Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 9000"),
		"Groq, 400":  said(400, "Please reduce the length of the messages or completion."),
		"OpenRouter": said(400, "This endpoint's maximum context length is 131072 tokens."),
		"OpenRouter, of its provider": {400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` +
			`"{\"error\":{\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}","provider_name":"Anthropic"}}}`},
		"OpenRouter, plain words": {400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` +
			`"maximum context length is 8"}}}`},
		"OpenRouter, an object": {400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` +
			`{"object":"error","message":"Prompt exceeds max length"}}}}`},
		"Copilot":         said(400, "prompt token count of 140000 exceeds the limit of 128000"),
		"llama.cpp":       {500, `{"error":{"code":500,"message":"the request exceeds the available context size"}}`},
		"llama.cpp, type": {400, `{"error":{"code":400,"message":"no","type":"exceed_context_size_error"}}`},
		"LM Studio":       said(400, "The number of tokens to keep from the initial prompt is greater than n_ctx."),
		"Ollama":          said(400, "prompt too long; exceeded max context length by 40 tokens"),
		"MiniMax":         said(400, "invalid params, context window exceeds limit"),
		"Moonshot": said(400,
			"Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)"),
		"Cerebras": {400, `{"message":"no","type":"invalid_request_error","code":"context_length_exceeded"}`},
		"Mistral":  {422, `{"object":"error","message":"Too many tokens: 40000","code":"3051"}`},
		"Mistral, new": {
			400,
			`{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}`,
		},
		"Z.ai": {400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`},
		"Alibaba": {
			400,
			`{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 98304]"}}`,
		},
		"Together": said(422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193."),
		"TGI":      {422, `{"error":"Input validation error: inputs must have less than 4095 tokens. Given: 5000"}`},
		"vLLM": {
			400,
			`{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096."}`,
		},
		"vLLM, old": {400, `{"object":"error","message":"This model's maximum context length is 4096 tokens."}`},
		"SGLang": {
			400,
			`{"message":"Input length (9000 tokens) exceeds the maximum allowed length (8191 tokens)."}`,
		},
		"Fireworks":         said(400, "The prompt is too long: 150000, model maximum context length: 131071"),
		"Cohere":            {400, `{"message":"total number of tokens in the prompt cannot exceed 4081"}`},
		"Snowflake":         {400, `{"message":"max tokens of 4096 exceeded"}`},
		"GitHub":            {413, `{"error":{"message":"Request body too large for gpt-4o. Max size: 8000 tokens."}}`},
		"watsonx":           said(400, "the number of input tokens 5000 cannot exceed the total tokens limit 4096"),
		"Volcengine":        said(400, "Total tokens of image and text exceed max message tokens"),
		"Qianfan":           said(400, "Prompt tokens too long"),
		"FastAPI":           {422, `{"detail":"Input is too long"}`},
		"a number as error": {413, `{"error":7}`},
	}
}

func TestOverflow_EveryProvidersWords_AreTooLong(t *testing.T) {
	list := overflows()
	if len(list) < 35 {
		t.Errorf("only %d wordings", len(list))
	}
	for name, o := range list {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(modeltest.Answer{Status: o.status, Body: o.body}))
			_, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
			if !errors.Is(err, goal.ErrContextTooLong) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestErrors_AsProvidersWriteThem checks the kind of each error, whether the turn is repeated, and the text for the
// user.
func TestErrors_AsProvidersWriteThem(t *testing.T) {
	inStream := func(body string) modeltest.Answer {
		return modeltest.Answer{Raw: `data: {"choices":[{"delta":{"content":"hel"}}]}` + "\n\ndata: " + body + "\n\n"}
	}
	status := func(code int, body string) modeltest.Answer { return modeltest.Answer{Status: code, Body: body} }
	for name, test := range map[string]struct {
		answer modeltest.Answer
		kind   model.Kind
		says   []string
	}{
		"Gemini, wrong key": {
			status(400, `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":`+
				`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]`),
			model.Auth,
			[]string{"API key not valid", "TEST_KEY"},
		},
		"Gemini, signature": {
			status(400, `[{"error":{"code":400,"message":"Function call is broken.","status":"INVALID_ARGUMENT"}}]`),
			model.BadRequest,
			[]string{"Function call is broken"},
		},
		"OpenRouter, credit in the stream": {
			inStream(`{"error":{"code":402,"message":"Insufficient credits"}}`),
			model.Refused,
			[]string{"Insufficient credits", "credit"},
		},
		"key in the stream": {inStream(`{"error":{"code":401,"message":"no such user"}}`), model.Auth, []string{"TEST_KEY"}},
		"region in the stream": {
			inStream(`{"error":{"code":403,"message":"not available in your region"}}`),
			model.Refused,
			[]string{"region"},
		},
		"moderation in the stream": {
			inStream(`{"error":{"code":403,"message":"input was flagged"}}`),
			model.Refused,
			[]string{"flagged"},
		},
		"no model in the stream": {
			inStream(`{"error":{"code":"404","message":"no endpoints"}}`),
			model.BadRequest,
			[]string{"no endpoints", "the model's name"},
		},
		"overloaded in the stream": {inStream(`{"error":{"code":502,"message":"bad gateway"}}`), model.Overloaded, nil},
		"too long in the stream": {
			inStream(`{"error":{"code":400,"message":"prompt is too long"}}`), model.TooLong, nil,
		},
		"OpenRouter, words of its provider": {
			status(429, `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"x is temporarily `+
				`rate-limited upstream","provider_name":"Chutes"}}}`),
			model.RateLimited,
			[]string{"Chutes: x is temporarily rate-limited upstream"},
		},
		"OpenRouter, no words": {
			status(502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":""}}}`),
			model.Overloaded,
			[]string{"Provider returned error"},
		},
		"Groq, a bad call": {
			status(400, `{"error":{"message":"Failed to call a function.","type":"invalid_request_error",`+
				`"code":"tool_use_failed","failed_generation":"<function=read_file>{\"path\""}}`),
			model.Mistaken,
			[]string{"Failed to call a function"},
		},
		"Groq, a bad call in the stream": {
			inStream(`{"x_groq":{"error":{"message":"Failed to call a function.","code":"tool_use_failed",` +
				`"failed_generation":"<function=read_file>{\"path\""}}}`),
			model.Mistaken,
			[]string{"Failed to call a function"},
		},
		"Gemini, a bad call": {
			modeltest.Answer{Raw: chunks("MALFORMED_FUNCTION_CALL", `{"content":""}`)},
			model.Mistaken,
			[]string{"a tool call that its provider could not parse"},
		},
		"llama.cpp, no tools": {
			status(500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`),
			model.BadRequest,
			[]string{"--jinja", "can call tools"},
		},
		"a limit per minute": {status(429, `{"message":"Too many tokens, please wait."}`), model.RateLimited, nil},
		"Moonshot, no credit": {
			status(429, `{"error":{"message":"Your account is suspended, please check your plan",`+
				`"type":"exceeded_current_quota_error"}}`),
			model.Refused,
			[]string{"suspended", "credit"},
		},
		"Z.ai, no credit": {
			status(429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package."}}`),
			model.Refused,
			[]string{"Insufficient balance", "credit"},
		},
		"Alibaba, no credit": {
			status(400, `{"error":{"code":"Arrearage","message":"Access denied: the account is not in good standing."}}`),
			model.Refused,
			[]string{"not in good standing", "credit"},
		},
		"Gemini, a limit per minute": {
			status(429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing `+
				`details.","status":"RESOURCE_EXHAUSTED"}}]`),
			model.RateLimited,
			[]string{"exceeded your current quota"},
		},
		"Groq, no capacity":   {status(498, `{"error":{"message":"capacity exceeded"}}`), model.Overloaded, nil},
		"a conflict":          {status(409, `{"error":{"message":"try again"}}`), model.Overloaded, nil},
		"a timeout":           {status(408, ``), model.Overloaded, []string{"408"}},
		"Cloudflare, no time": {status(524, `<html>a timeout occurred</html>`), model.Overloaded, []string{"524"}},
		"vLLM, no envelope in the stream": {
			inStream(`{"object":"error","message":"the engine is dead","type":"InternalServerError","code":500}`),
			model.Overloaded,
			[]string{"the engine is dead"},
		},
		"OpenRouter, in the choice": {
			inStream(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error",` +
				`"error":{"code":429,"message":"slow down"}}]}`),
			model.RateLimited,
			[]string{"slow down"},
		},
		"an error after calls": {
			modeltest.Answer{Raw: `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":` +
				`{"name":"write_file","arguments":"{}"}}]}}]}` + "\n\n" + `data: {"error":{"message":"sorry","code":503}}` +
				"\n\n"},
			model.Overloaded,
			[]string{"sorry"},
		},
		"another region": {
			status(403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory `+
				`not supported","type":"request_forbidden"}}`),
			model.Refused,
			[]string{"serves your country"},
		},
		"Gemini, another region": {
			status(400, `[{"error":{"code":400,"message":"User location is not supported for the API use.",`+
				`"status":"FAILED_PRECONDITION"}}]`),
			model.Refused,
			[]string{"serves your country"},
		},
		"Azure, content filter": {
			status(400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content `+
				`management policy.","param":"prompt","code":"content_filter","status":400}}`),
			model.Refused,
			[]string{"in other words"},
		},
		"DeepSeek, content filter": {
			status(400, `{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}`),
			model.Refused,
			[]string{"in other words"},
		},
		"OpenAI, only over the Responses API": {
			status(404, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.",`+
				`"type":"invalid_request_error","param":"model","code":null}}`),
			model.BadRequest,
			[]string{"choose the kind openai-responses"},
		},
		"OpenAI, a parameter": {
			status(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use `+
				`'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`),
			model.BadRequest,
			[]string{"a parameter of the request"},
		},
		"OpenAI, verification": {
			status(400, `{"error":{"message":"Your organization must be verified to stream this model.",`+
				`"type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`),
			model.BadRequest,
			[]string{"verify the organisation"},
		},
		"Gemini, no signature": {
			status(400, `[{"error":{"code":400,"message":"Function call `+"`x`"+` is missing a thought_signature in `+
				`functionCall parts.","status":"INVALID_ARGUMENT"}}]`),
			model.BadRequest,
			[]string{"the reasoning of earlier turns"},
		},
		"DeepSeek, no reasoning": {
			status(400, `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API.",`+
				`"type":"invalid_request_error"}}`),
			model.BadRequest,
			[]string{"the reasoning of earlier turns"},
		},
		"FastAPI, another form": {
			status(422, `{"detail":[{"type":"missing","loc":["body","messages",0,"content"],"msg":"Field required"}]}`),
			model.BadRequest,
			[]string{"422: body.messages.0.content: Field required", "the provider's kind"},
		},
		"Gemini, a schema": {
			status(400, `[{"error":{"code":400,"message":"Invalid JSON payload. Unknown name \"const\" at `+
				`'tools[0].function_declarations[0]'","status":"INVALID_ARGUMENT"}}]`),
			model.BadRequest,
			[]string{"the arguments of a tool"},
		},
		"vLLM, no tools": {
			status(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice","code":400}`),
			model.BadRequest,
			[]string{"can call tools"},
		},
		"no reason": {status(400, `{"error":{"message":"no"}}`), model.BadRequest, []string{"does not say what to change"}},
		"Ollama's own protocol": {
			modeltest.Answer{
				Raw:         `{"model":"m","message":{"role":"assistant","content":"hi"},"done":false}` + "\n",
				ContentType: "application/x-ndjson",
			},
			model.InvalidReply,
			[]string{"Ollama's own", "/v1"},
		},
		"Ollama's own protocol, whole": {
			modeltest.Answer{
				Raw:         `{"model":"m","message":{"role":"assistant","content":"hi"},"done":true}`,
				ContentType: "application/json",
			},
			model.InvalidReply,
			[]string{"Ollama's own", "/v1"},
		},
		"Ollama's older protocol": {
			modeltest.Answer{Raw: `{"model":"m","response":"hi","done":true}` + "\n", ContentType: "application/x-ndjson"},
			model.InvalidReply,
			[]string{"Ollama's own", "/v1"},
		},
		"an empty list": {status(400, `[]`), model.BadRequest, []string{"Bad Request"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(test.answer))
			_, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
			e, ok := model.AsError(err)
			if !ok || e.Kind != test.kind || e.Hint == "" {
				t.Fatalf("%v", err)
			}
			for _, words := range test.says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%v does not say %q", err, words)
				}
			}
			for _, remedy := range []string{"credit", "can call tools"} {
				if strings.Contains(e.Hint, remedy) && !slices.Contains(test.says, remedy) {
					t.Errorf("the hint of %v misleads", err)
				}
			}
			var mistake *goal.ModelMistake
			if errors.As(err, &mistake) != (test.kind == model.Mistaken) {
				t.Errorf("mistake %+v", mistake)
			}
			if mistake != nil && strings.HasPrefix(name, "Groq") && mistake.Attempt != `<function=read_file>{"path"` {
				t.Errorf("it wrote %q", mistake.Attempt)
			}
		})
	}
}

func TestErrors_RefusedRequest_CanBeRecognized(t *testing.T) {
	for status, want := range map[int]bool{400: true, 422: true, 404: false, 401: false, 500: false} {
		s := modeltest.New(t, one(modeltest.Fail(status, "nobody knows why")))
		_, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
		if errors.Is(err, goal.ErrRequestRefused) != want {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestErrors_RetryInfo_IsRead(t *testing.T) {
	body := func(delay string) string {
		return `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED",` +
			`"details":[{"@type":"help","links":[1]},` +
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"` + delay + `"}]}}]`
	}
	for delay, want := range map[string]time.Duration{
		"34.5s":    34500 * time.Millisecond,
		"soon":     0,
		"-4s":      0,
		"9999999s": 24 * time.Hour,
	} {
		s := modeltest.New(t, one(modeltest.Answer{Status: 429, Body: body(delay)}))
		_, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
		if e, ok := model.AsError(err); !ok || e.Kind != model.RateLimited || e.RetryAfter != want {
			t.Errorf("%s: %v after %v", delay, err, e.RetryAfter)
		}
	}
}

// TestRefusal_SaysWhy: the error has the reason that Anthropic sent, in a stream or in a whole answer.
func TestRefusal_SaysWhy(t *testing.T) {
	const streamed = `data: {"type":"message_start","message":{"usage":{"input_tokens":5}}}` + "\n\n" +
		`data: {"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":` +
		`{"type":"refusal","category":"cyber","explanation":"It could do harm."}},"usage":{"output_tokens":1}}` + "\n\n" +
		`data: {"type":"message_stop"}` + "\n\n"
	whole := modeltest.Answer{
		ContentType: "application/json",
		Raw: `{"type":"message","content":[],"stop_reason":"refusal",` +
			`"stop_details":{"explanation":"It could do harm."}}`,
	}
	for _, a := range []modeltest.Answer{{Raw: streamed}, whole} {
		s := modeltest.New(t, one(a))
		_, err := claude(t, s.URL).Turn(t.Context(), turn(), nil)
		e, ok := model.AsError(err)
		if !ok || e.Kind != model.Refused || e.Message != "the model refused: It could do harm." ||
			strings.Contains(e.Hint, "credit") {
			t.Errorf("%v", err)
		}
	}
	s := modeltest.New(t, one(modeltest.Answer{Stop: "refusal"}))
	_, err := claude(t, s.URL).Turn(t.Context(), turn(), nil)
	if e, ok := model.AsError(err); !ok || !strings.Contains(e.Message, "without giving a reason") {
		t.Errorf("%v", err)
	}
}

// outputLimit returns the output limit in a request, 0 if it has none.
func outputLimit(t *testing.T, r modeltest.Request) int {
	t.Helper()
	var body struct {
		Old  int `json:"max_tokens"`
		New  int `json:"max_completion_tokens"`
		Resp int `json:"max_output_tokens"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	return max(body.Old, body.New, body.Resp)
}

// TestOutputLimit_UsedUpByThinking_IsRaisedOnce: later turns use the raised limit, and the usage of the discarded
// reply is counted.
func TestOutputLimit_UsedUpByThinking_IsRaisedOnce(t *testing.T) {
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		first := 0
		s := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
			if n == 0 {
				first = outputLimit(t, r)
			}
			if outputLimit(t, r) > first {
				return modeltest.Answer{Text: "done", Usage: goal.Usage{TokensIn: 10, TokensOut: 5}}
			}
			stop := map[string]string{"openai": "length", "responses": "length", "anthropic": "max_tokens"}[protocol]
			return modeltest.Answer{Thinking: "hm", Stop: stop, Usage: goal.Usage{TokensIn: 10, TokensOut: 900}}
		})
		r, err := dial(s.URL).Turn(t.Context(), turn(), nil)
		if err != nil || r.Text != "done" || r.Usage.TokensOut != 905 || r.Usage.TokensIn != 20 {
			t.Fatalf("%+v, %v", r, err)
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestOutputLimit_CannotBeRaised_IsReported(t *testing.T) {
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		for _, isRefused := range []bool{false, true} {
			first, want := 0, 2
			s := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
				if n == 0 {
					first = outputLimit(t, r)
				}
				if isRefused && outputLimit(t, r) > first {
					return modeltest.Fail(400, "max_tokens is too large")
				}
				stop := map[string]string{"openai": "length", "responses": "length", "anthropic": "max_tokens"}[protocol]
				return modeltest.Answer{Thinking: "hm", Stop: stop, Usage: goal.Usage{TokensIn: 10, TokensOut: 900}}
			})
			_, err := dial(s.URL).Turn(t.Context(), turn(), nil)
			var mistake *goal.ModelMistake
			if isRefused {
				want = 3
			}
			if !errors.As(err, &mistake) || mistake.Usage.TokensOut != 1800 ||
				!strings.Contains(err.Error(), "output limit of 900 tokens") || !strings.Contains(err.Error(), "lower effort") {
				t.Errorf("refused %v: %v, %+v", isRefused, err, mistake)
			}
			if n := len(s.Requests()); n != want {
				t.Errorf("refused %v: %d requests, want %d", isRefused, n, want)
			}
		}
	})
}

// TestRedirect_NamesItsTarget: in each protocol, the error names the target of a redirect, without secrets.
func TestRedirect_NamesItsTarget(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) { checkRedirects(t, dial) })
}

func checkRedirects(t *testing.T, dial func(string) model.Client) {
	t.Helper()
	for _, status := range []int{301, 302, 307, 308} {
		redirect := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://user:pw@new.example.com/v1/chat/completions?key=secret")
			w.WriteHeader(status)
		}
		url := serve(t, redirect)
		_, err := dial(url).Turn(t.Context(), turn(), nil)
		if e, ok := model.AsError(err); !ok || e.Kind != model.BadRequest || strings.Contains(err.Error(), "pw") ||
			strings.Contains(err.Error(), "secret") ||
			!strings.Contains(e.Message, "redirects to https://new.example.com/v1/chat/completions") ||
			!strings.Contains(e.Hint, "base URL") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestCost_ReportedByProvider_IsUsed: a reported cost, in any form, replaces the computed one.
func TestCost_ReportedByProvider_IsUsed(t *testing.T) {
	for usage, want := range map[string]float64{
		`{"prompt_tokens":10,"completion_tokens":5,"cost":0.0125}`:                0.0125,
		`{"prompt_tokens":10,"completion_tokens":5,"cost":"0.5"}`:                 0.5,
		`{"prompt_tokens":10,"completion_tokens":5,"cost_in_usd_ticks":25000000}`: 0.0025,
		`{"prompt_tokens":10,"completion_tokens":5,"cost":1,"is_byok":true,` +
			`"cost_details":{"upstream_inference_cost":2}}`: 3,
		`{"prompt_tokens":10,"completion_tokens":5,"cost":1,"is_byok":false,` +
			`"cost_details":{"upstream_inference_cost":2}}`: 1,
		`{"prompt_tokens":10,"completion_tokens":5,"cost":-3}`:          0,
		`{"prompt_tokens":10,"completion_tokens":5,"cost":{"total":1}}`: 0,
		`{"prompt_tokens":10,"completion_tokens":5,"cost":null}`:        0,
	} {
		raw := fmt.Sprintf(
			"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"usage\":%s}\n\n", usage)
		s := modeltest.New(t, one(modeltest.Answer{Raw: raw}))
		r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
		if err != nil || r.Usage.USD < want-1e-9 || r.Usage.USD > want+1e-9 || r.Usage.Guessed || r.Usage.TokensIn != 10 {
			t.Errorf("%s: %+v, %v", usage, r.Usage, err)
		}
	}
}

// TestUsage_CacheOfEveryProvider_HasItsPrice: a million tokens cost 1 USD, 0.1 USD if read from the cache, and 10 USD
// if written to it.
func TestUsage_CacheOfEveryProvider_HasItsPrice(t *testing.T) {
	for name, test := range map[string]struct {
		event string
		usd   float64
	}{
		"OpenAI": {
			`"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":1,` +
				`"prompt_tokens_details":{"cached_tokens":600}}`, 461e-6,
		},
		"OpenRouter": {
			`"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":1,` +
				`"prompt_tokens_details":{"cached_tokens":600,"cache_write_tokens":100}}`, 1361e-6,
		},
		"DeepSeek": {
			`"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":1,` +
				`"prompt_cache_hit_tokens":600,"prompt_cache_miss_tokens":400}`, 461e-6,
		},
		"Moonshot": {
			`"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":1000,"completion_tokens":1,` +
				`"cached_tokens":600}}]`, 461e-6,
		},
		"in words": {
			`"choices":null,"usage":{"prompt_tokens":"1000","completion_tokens":"1",` +
				`"prompt_tokens_details":null}`, 1001e-6,
		},
		"impossible": {
			`"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":1,` +
				`"prompt_tokens_details":{"cached_tokens":9e9,"cache_write_tokens":5}}`, 101e-6,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t,
				one(modeltest.Answer{Raw: `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],` +
					`"usage":null}` + "\n\ndata: {" + test.event + "}\n\ndata: [DONE]\n\n"}))
			c, err := model.NewOpenAI(model.Options{
				BaseURL: s.URL,
				Model:   "small",
				Price:   catalog.Price{In: 1, Out: 1, CacheRead: 0.1, CacheWrite: 10},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			r, err := c.Turn(t.Context(), turn(), nil)
			if err != nil || r.Usage.TokensIn != 1000 || r.Usage.USD < test.usd-1e-9 || r.Usage.USD > test.usd+1e-9 {
				t.Errorf("%+v, %v", r.Usage, err)
			}
		})
	}
}

func TestUsage_Groq_IsRead(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{Raw: `data: {"choices":[{"delta":{"content":"hi"}}],"x_groq":{"id":"r"}}` +
		"\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"stop"}],` +
		`"x_groq":{"id":"r","usage":{"prompt_tokens":17,"completion_tokens":4}}}` + "\n\ndata: [DONE]\n\n"}))
	r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil || r.Usage != (goal.Usage{TokensIn: 17, TokensOut: 4}) {
		t.Errorf("%+v, %v", r.Usage, err)
	}
}

// TestUsage_ZerosAtTheEnd_AreIgnored: some gateways repeat the usage with zeros after the one that counts.
func TestUsage_ZerosAtTheEnd_AreIgnored(t *testing.T) {
	raw := map[string]string{
		"openai": `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n" +
			`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"cost":0.5}}` + "\n\n" +
			`data: {"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"cost":0}}` + "\n\ndata: [DONE]\n\n",
		"responses": `data: {"type":"response.output_text.delta","output_index":0,"delta":"hi"}` + "\n\n" +
			`data: {"type":"response.completed","response":{"usage":{"input_tokens":9,"output_tokens":1,"cost":0.5}}}` + "\n\n" +
			`data: {"type":"response.done","response":{"usage":{"input_tokens":0,"output_tokens":0}}}` + "\n\n",
		"anthropic": `data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},` +
			`"usage":{"input_tokens":0,"output_tokens":0}}` + "\n\n",
	}
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		want := goal.Usage{TokensIn: 9, TokensOut: 1}
		if protocol != "anthropic" { // that protocol reports no cost
			want.USD = 0.5
		}
		s := modeltest.New(t, one(modeltest.Answer{Raw: raw[protocol]}))
		if r, err := dial(s.URL).Turn(t.Context(), turn(), nil); err != nil || r.Usage != want {
			t.Errorf("%+v, %v", r.Usage, err)
		}
	})
}

func TestStream_OddForm_IsRead(t *testing.T) {
	const hello = `data: {"choices":[{"delta":{"content":"hel"}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	content := func(json string) string {
		return `data: {"choices":[{"delta":{"content":` + json + `},"finish_reason":"stop"}]}` + "\n\n"
	}
	for name, test := range map[string]struct {
		answer modeltest.Answer
		text   string
	}{
		"lines that end with CR": {modeltest.Answer{Raw: strings.ReplaceAll(hello, "\n", "\r")}, "hello"},
		"mixed ends": {modeltest.Answer{
			Raw: strings.Replace(strings.Replace(hello, "\n", "\r", 1), "\n", "\r\n", 1),
		}, "hello"},
		"labelled as JSON": {modeltest.Answer{Raw: hello, ContentType: "application/json"}, "hello"},
		"labelled, after a gap": {modeltest.Answer{
			Raw:         "\n \n" + hello,
			ContentType: "application/json; charset=utf-8",
		}, "hello"},
		"a comment, labelled":  {modeltest.Answer{Raw: ": hi\n\n" + hello, ContentType: "application/json"}, "hello"},
		"content is an object": {modeltest.Answer{Raw: content(`{"type":"text","text":"hi"}`)}, "hi"},
		"content is a number":  {modeltest.Answer{Raw: content(`42`)}, "42"},
		"content is a list": {
			modeltest.Answer{
				Raw: content(`[{"type":"thinking","thinking":[{"text":"x"}]},{"type":"text","text":"a"},"b"]`),
			}, "ab",
		},
		"an empty error": {modeltest.Answer{
			Raw: `data: {"error":{},"choices":[{"delta":{"content":"hi"},"finish_reason":"stop","error":""}]}` + "\n\n",
		}, "hi"},
		"null for everything": {modeltest.Answer{
			Raw: chunks("stop", `null`, `{"role":null,"content":null,"tool_calls":null}`,
				`{"content":"hi","tool_calls":[null]}`),
		}, "hi"},
		"an event that is null": {modeltest.Answer{Raw: "data: null\n\n" + hello}, "hello"},
		"an event of another kind": {modeltest.Answer{
			Raw: "event: ping\ndata: {\"type\":\"ping\"}\n\nid: 7\nretry: 10\n\n" + hello,
		}, "hello"},
		"a second choice": {modeltest.Answer{
			Raw: `data: {"choices":[{"index":1,"delta":{"content":"no"}}]}` + "\n\n" + hello,
		}, "hello"},
		"a filter before the choice": {modeltest.Answer{
			Raw: `data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}` + "\n\n" + hello,
		}, "hello"},
		"an empty reasoning": {
			modeltest.Answer{
				Raw: chunks("stop", `{"content":"hi","reasoning":null,"reasoning_content":"","reasoning_details":[]}`),
			},
			"hi",
		},
		"reasoning of other types": {
			modeltest.Answer{Raw: chunks("stop", `{"content":"hi","reasoning":{"effort":1},"reasoning_details":"x"}`)}, "hi",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(test.answer))
			r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
			if err != nil || r.Text != test.text || r.Reasoning != nil {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestAnthropic_UnknownBlocks_AreIgnored: the fields of an unknown block may have any type.
func TestAnthropic_UnknownBlocks_AreIgnored(t *testing.T) {
	const raw = `data: {"type":"message_start","message":{"usage":{"input_tokens":3}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"hologram","data":{"x":1},"text":7}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"hologram_delta","text":{"y":2}}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hi"}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

data: {"type":"message_stop"}

`
	whole := `{"type":"message","content":[{"type":"hologram","data":{"x":1}},{"type":"text","text":"hi"}],` +
		`"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`
	for _, a := range []modeltest.Answer{{Raw: raw}, {Raw: whole, ContentType: "application/json"}} {
		s := modeltest.New(t, one(a))
		r, err := claude(t, s.URL).Turn(t.Context(), turn(), nil)
		if err != nil || r.Text != "hi" || r.Usage.TokensOut != 2 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestAnthropic_TextWithoutStart_IsRead: some gateways omit the start of a text block. Other blocks without a start
// are an error.
func TestAnthropic_TextWithoutStart_IsRead(t *testing.T) {
	raw := func(delta string) string {
		return `data: {"type":"message_start","message":{"usage":{"input_tokens":3}}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":` + delta + "}\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}` + "\n\n" +
			`data: {"type":"message_stop"}` + "\n\n"
	}
	s := modeltest.New(t, one(modeltest.Answer{Raw: raw(`{"type":"text_delta","text":"hi"}`)}))
	if r, err := claude(t, s.URL).Turn(t.Context(), turn(), nil); err != nil || r.Text != "hi" {
		t.Errorf("%+v, %v", r, err)
	}
	s = modeltest.New(t, one(modeltest.Answer{Raw: raw(`{"type":"input_json_delta","partial_json":"{}"}`)}))
	_, err := claude(t, s.URL).Turn(t.Context(), turn(), nil)
	if e, ok := model.AsError(err); !ok || e.Kind != model.InvalidReply {
		t.Errorf("%v", err)
	}
}

// TestKey_OrdinaryWord_IsNotMasked: only a key that can be a secret is masked.
func TestKey_OrdinaryWord_IsNotMasked(t *testing.T) {
	for apiKey, isHidden := range map[string]bool{
		"o": false, "ollama": false, "lm-studio": false, "not-needed": false, "none": false,
		"sk-1234567890": true, "abcdefghijklmnopqrstuvwxyzab": true,
	} {
		s := modeltest.New(t, one(modeltest.Fail(400, "wrong key "+apiKey+" for ollama, no such model")))
		c, err := model.NewOpenAI(model.Options{
			BaseURL: s.URL,
			APIKey:  apiKey,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		_, err = c.Turn(t.Context(), turn(), nil)
		if err == nil || strings.Contains(err.Error(), "[key]") != isHidden ||
			!strings.Contains(err.Error(), "for ollama, no such model") {
			t.Errorf("%s: %v", apiKey, err)
		}
	}
}
