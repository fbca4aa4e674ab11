import ProgramSupport

@main
enum Main {
    static func main() async { await ServiceProgram.run(Swiped.self) }
}
