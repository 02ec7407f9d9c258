import JobStorage
import Testing

@testable import NukeBatch

@Suite struct HostClassesTests {
    @Test("a million hosts have 22 classes")
    func bounded() {
        var classes = HostClasses()
        var found: Set<String> = []
        for number in 0..<1_000_000 { found.insert(classes.claimName(of: "h\(number).example")) }
        found.insert(classes.claimName(of: "s3://photos"))
        #expect(found.count == HostClasses.mostNamed + 2)
        #expect(
            found.contains("h0.example") && found.contains("h19.example") && !found.contains("h20.example")
        )
        #expect(classes.name(of: "h999999.example") == "other")
    }

    @Test("all buckets are one class")
    func storage() {
        var classes = HostClasses(busiest: ["s3://a", "a.example"])
        #expect(classes.claimName(of: "s3://a") == "storage" && classes.claimName(of: "s3://b") == "storage")
        #expect(classes.named == ["a.example"])
    }

    @Test("in a job of more hosts than classes, only the busiest have one")
    func crowded() {
        var classes = HostClasses(busiest: ["a.example"], isCrowded: true)
        #expect(classes.claimName(of: "a.example") == "a.example")
        #expect(classes.claimName(of: "b.example") == "other")
    }

    @Test("a host keeps its class, and takes none from others")
    func known() {
        let first = Set((0..<19).map { "h\($0).example" })
        let classes = HostClasses(
            known: first.union(["storage", "other"]),
            busiest: ["new.example", "late.example"],
            isCrowded: true
        )
        #expect(classes.named == first.union(["new.example"]))
    }

    @Test("a request without a host is another's")
    func empty() {
        var classes = HostClasses()
        #expect(classes.claimName(of: "") == "other")
    }
}
