import ProgramSupport

@main
enum Main {
    static func main() { ServiceProgram.run(Swiped.line, Swiped.run) }
}
