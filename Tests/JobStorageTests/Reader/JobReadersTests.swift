import JobStorage
import TestSupport
import Testing

/// Statistics over the states of several partitions.
@Suite struct JobReadersTests {
    /// Runs a job of these items as so many partitions; every third item fails, the others have originals of 1000 bytes times
    /// their number.
    private func stores(_ count: Int, items: Int) async throws -> [JobStore] {
        var stores: [JobStore] = []
        for number in 0..<count {
            let store = try TestJob().open()
            try store.plan((1...items).filter { $0 % count == number }.map { row($0) })
            _ = try store.beginRun(version: "1")
            for item in try await store.claim(limit: 1000, perHost: 1000) {
                var result = done(item)
                result.attempt?.bytes = 1000 * item.ordinal
                if item.ordinal % 3 == 0 {
                    result.outcome = .failed(error: "corrupt", message: "told")
                    result.outputs = []
                }
                try await store.record(result, of: item)
            }
            stores.append(store)
        }
        return stores
    }

    private func request(_ number: Int, wait: Int) -> RequestRecord {
        RequestRecord(
            load: Int64(number),
            started: 1,
            url: "https://a.example/\(number).jpg",
            status: 200,
            phases: .init(blocked: 1_000_000, dns: nil, connect: nil, tls: nil, wait: wait, receive: 0)
        )
    }

    @Test("nothing is known of no state")
    func none() throws {
        let none: [JobReader] = []
        #expect(try none.outputTotals().isEmpty && none.failedItems(limit: 3).isEmpty)
        #expect(try none.distribution(of: .outputSize).count == 0 && none.sizeComparison().items == 0)
        #expect(try none.sample(count: 3).isEmpty)
    }

    @Test("quantiles are those of all values, however they are divided", arguments: 1...5)
    func quantiles(count: Int) async throws {
        var generator = SeededGenerator(seed: 7)
        // Some steps have values of several states, and one state has more values than the others.
        let waits = (0..<101).map { _ in Int.random(in: 1...3000, using: &generator) }
        var stores: [JobStore] = []
        defer { withExtendedLifetime(stores) {} }
        for number in 0..<count {
            let store = try TestJob().open()
            _ = try store.beginRun(version: "1")
            let own = waits.enumerated().filter { min($0.offset % 7, count - 1) == number }
            try await store.record(own.map { request($0.offset, wait: $0.element) })
            stores.append(store)
        }
        let times = try stores.map(\.reader).distribution(of: .requestTime)
        let sorted = waits.sorted()
        #expect(times.count == 101 && times.sum == waits.reduce(0, +) && times.maximum == sorted[100])
        #expect(times.median == sorted[50] && times.percentile95 == sorted[95])
    }

    @Test("totals and sizes are sums")
    func sums() async throws {
        let stores = try await stores(3, items: 20)
        // A store that goes away closes its reader.
        defer { withExtendedLifetime(stores) {} }
        let readers = stores.map(\.reader)
        let totals = try readers.outputTotals()
        #expect(totals.map(\.name) == ["small"] && totals.map(\.made) == [14])
        let sizes = try readers.sizeComparison()
        let ordinals = (1...20).filter { $0 % 3 != 0 }
        #expect(sizes.items == 14 && sizes.before == 1000 * ordinals.reduce(0, +) && sizes.after == 56_000)
        let hosts = try readers.failuresByHost(limit: 5)
        #expect(hosts.map(\.count) == [6] && hosts.first?.host == "a.example")
    }

    @Test("the first and largest are those of all, in order")
    func extremes() async throws {
        let stores = try await stores(4, items: 20)
        defer { withExtendedLifetime(stores) {} }
        let readers = stores.map(\.reader)
        #expect(try readers.failedItems(limit: 4).map(\.ordinal) == [3, 6, 9, 12])
        #expect(try readers.largestItems(limit: 3).map(\.item.ordinal) == [20, 19, 18])
    }

    @Test("a sample is spread over all, each item once, in the manifest's order")
    func sample() async throws {
        let stores = try await stores(2, items: 40)
        defer { withExtendedLifetime(stores) {} }
        let readers = stores.map(\.reader)
        let sample = try readers.sample(count: 6).map(\.ordinal)
        #expect(sample.count == 6 && Set(sample).count == 6 && sample == sample.sorted())
        #expect(sample.contains { $0 % 2 == 0 } && sample.contains { $0 % 2 == 1 })
        #expect(sample[0] < 8 && sample[5] > 25, "\(sample)")
        let all = try readers.sample(count: 100).map(\.ordinal)
        #expect(all == (1...40).filter { $0 % 3 != 0 })
    }
}
