import NukeBatch
import Testing

@Suite struct RequestCountsTests {
    @Test(
        "requests count by their host, with its port, in lower case",
        arguments: [
            ("https://a.example/1.jpg", "a.example"), ("https://A.Example:8080/x/y?z", "a.example:8080"),
            ("https://a.example", "a.example"), ("https://a.example?x=/y", "a.example"),
            ("https://a.example#part", "a.example"), ("data:,abc", ""), ("", ""),
        ]
    )
    func host(url: String, host: String) {
        let counts = RequestCounts()
        counts.add(url: url, status: 200)
        #expect(counts.all == [RequestCounts.Key(host: host, status: 200): 1])
    }

    @Test("requests without an answer have the status 0")
    func statuses() {
        let counts = RequestCounts()
        #expect(counts.all.isEmpty)
        for status in [200, nil, 404, 200, nil, 200] {
            counts.add(url: "https://a.example/", status: status)
        }
        let expected = [200: 3, 404: 1, 0: 2]
        #expect(counts.all.count == 3)
        for (status, count) in expected {
            #expect(counts.all[RequestCounts.Key(host: "a.example", status: status)] == count)
        }
    }

    @Test("after 500 series, new hosts count together and known ones as before")
    func bound() {
        let counts = RequestCounts()
        for number in 0..<500 { counts.add(url: "https://h\(number).example/", status: 200) }
        #expect(counts.all.count == 500)
        #expect(counts.all[RequestCounts.Key(host: "other", status: 200)] == nil)
        #expect(counts.all[RequestCounts.Key(host: "h499.example", status: 200)] == 1)
        for number in 500..<600 { counts.add(url: "https://h\(number).example/", status: 200) }
        counts.add(url: "https://h7.example/", status: 404)
        counts.add(url: "https://h7.example/", status: 200)
        #expect(counts.all.count == 502)
        #expect(counts.all[RequestCounts.Key(host: "other", status: 200)] == 100)
        #expect(counts.all[RequestCounts.Key(host: "other", status: 404)] == 1)
        #expect(counts.all[RequestCounts.Key(host: "h7.example", status: 200)] == 2)
    }
}
