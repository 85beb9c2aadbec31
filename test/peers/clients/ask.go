package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func ask(method string, url string) (int, []byte, error) {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return 0, nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, content, err
}

func main() {
	method := os.Args[1]
	for _, url := range os.Args[2:] {
		status, content, err := ask(method, url)
		if err != nil {
			fmt.Println("||error")
		} else {
			fmt.Printf("%s|%d|\n", content, status)
		}
		method = "GET"
	}
}
