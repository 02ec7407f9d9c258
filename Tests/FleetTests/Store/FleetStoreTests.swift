import Testing

@testable import Fleet

/// The places of a store's objects, and of outputs whose destination is relative to it.
struct FleetStoreTests {
    @Test(arguments: [
        ("s3://jobs/a", "s3://jobs/a/out/x"), ("s3://jobs/a/", "s3://jobs/a/out/x"),
        ("s3://jobs", "s3://jobs/out/x"), ("s3://jobs/", "s3://jobs/out/x"),
        ("s3://jobs/ü b%20", "s3://jobs/ü b%20/out/x"),
    ])
    func objects(place: String, object: String) throws {
        #expect(try FleetStore(place, environment: [:]).appending("out/x") == object)
    }

    @Test(arguments: [
        ("out", "out"), ("./out", "out"), ("out/", "out"), ("a/./b/../c", "a/c"), ("a//b", "a/b"),
        ("../out", "out"), (".out", ".out"),
    ])
    func relativeDestinations(path: String, key: String) throws {
        for place in ["s3://jobs", "s3://jobs/a"] {
            let store = try FleetStore(place, environment: [:])
            #expect(try "\(store.destination(path))" == "\(place)/\(key)")
        }
        #expect(try "\(FleetStore("s3://jobs/a", environment: [:]).destination("."))" == "s3://jobs/a")
    }
}
