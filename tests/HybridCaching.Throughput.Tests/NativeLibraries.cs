using System.Runtime.CompilerServices;
using HybridCaching.Throughput.Native;

namespace HybridCaching.Throughput.Tests;

internal static class NativeLibraries
{
    [ModuleInitializer]
    internal static void Register() => CLibrary.RegisterAll();
}
