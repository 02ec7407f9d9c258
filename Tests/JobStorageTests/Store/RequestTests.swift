import JobStorage
import SQLite
import Testing

@Suite(.timeLimit(.minutes(10))) struct RequestTests {
    private func request(_ number: Int, status: Int? = 200) -> RequestRecord {
        RequestRecord(
            load: Int64(number),
            started: 1_700_000_000_000 + Int64(number),
            url: "https://a.example/\(number).jpg?signature=redacted",
            status: status,
            phases: .init(blocked: 1, dns: nil, connect: 3, tls: 2, wait: 4, receive: 5)
        ) {
            $0.redirects = number % 2
            $0.requestHeaders = "Range: bytes=5-"
            $0.requestHeadBytes = 100
            $0.responseHeaders = "Content-Type: image/jpeg\nEtag: \"a: b\""
            $0.responseHeadBytes = 200
            $0.responseBodyBytes = 20_000
            $0.protocolName = "HTTP/2"
            $0.address = "192.0.2.1"
            $0.isConnectionReused = number % 2 == 0
            $0.error = status == nil ? "no answer" : nil
        }
    }

    private func all(_ store: JobStore) throws -> [RequestRecord] {
        var requests: [RequestRecord] = []
        try store.reader.forEachRequest { requests.append($0) }
        return requests
    }

    @Test func keepsEveryColumnInTheOrderOfTheEnds() async throws {
        let job = try TestJob()
        let store = try job.open()
        let run = try store.beginRun(version: "1")
        // Over two pages.
        let requests = (1...1500).map { request($0, status: $0 == 3 ? nil : 200) }
        try await store.record(Array(requests[..<700]))
        try await store.record(Array(requests[700...]))
        let read = try all(store)
        #expect(read.count == 1500)
        #expect(read.allSatisfy { $0.runID == run.runID })
        let stored = zip(read, requests).allSatisfy { read, request in
            read.load == request.load && read.redirects == request.redirects
                && read.started == request.started && read.url == request.url
                && read.requestHeaders == request.requestHeaders
                && read.requestHeadBytes == request.requestHeadBytes && read.status == request.status
                && read.responseHeaders == request.responseHeaders
                && read.responseHeadBytes == request.responseHeadBytes
                && read.responseBodyBytes == request.responseBodyBytes
                && read.protocolName == request.protocolName && read.address == request.address
                && read.isConnectionReused == request.isConnectionReused && read.phases == request.phases
                && read.error == request.error && read.method == request.method
        }
        #expect(stored)
    }

    @Test func forgetsTheOldest() async throws {
        let job = try TestJob()
        let store = try job.open()
        _ = try store.beginRun(version: "1")
        for start in stride(from: 0, to: 102_000, by: 2000) {
            try await store.record((start..<start + 2000).map { request($0) })
        }
        let read = try all(store)
        #expect(read.count == 100_000)
        #expect(read.first?.load == 2000)
        #expect(read.last?.load == 101_999)
    }

    @Test func needsARun() async throws {
        let job = try TestJob()
        let store = try job.open()
        await #expect(throws: JobStoreError.self) { try await store.record([request(1)]) }
    }
}
