package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

func unknownRecipe(name string) error {
	return fault.Invalid("name", fmt.Sprintf("there is no recipe %q", name), "`recipe list` shows the recipes")
}

// recipeDir returns the folder of the recipes. Each recipe is a YAML file.
func (c *Config) recipeDir() string { return filepath.Join(c.state, "recipes") }

func (c *Config) recipeFile(name string) (string, error) {
	if err := goal.ValidateRecipeName(name); err != nil {
		return "", fault.Invalid("name", err.Error(), "use small letters, digits and hyphens")
	}
	return filepath.Join(c.recipeDir(), name+".yaml"), nil
}

// RecipeNames returns the names of all recipes, sorted, also of those that cannot be read.
func (c *Config) RecipeNames() ([]string, error) {
	files, err := os.ReadDir(c.recipeDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recipes: %w", err)
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// Recipes reads all recipes, sorted by name. If some files cannot be read, it returns the others with an error.
func (c *Config) Recipes() ([]goal.Recipe, error) {
	names, err := c.RecipeNames()
	if err != nil {
		return nil, err
	}
	var list []goal.Recipe
	var errs []error
	for _, name := range names {
		r, err := c.Recipe(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, r)
	}
	return list, errors.Join(errs...)
}

// Recipe reads one recipe. A missing or invalid one is a fault.Error.
func (c *Config) Recipe(name string) (goal.Recipe, error) {
	file, err := c.recipeFile(name)
	if err != nil {
		return goal.Recipe{}, err
	}
	b, err := readBounded(file, "recipe")
	if errors.Is(err, fs.ErrNotExist) {
		return goal.Recipe{}, unknownRecipe(name)
	}
	if err != nil {
		return goal.Recipe{}, err
	}
	r, err := ParseRecipe(b)
	if err == nil && r.Name != name {
		err = fmt.Errorf("its name in the file is %q", r.Name)
	}
	if err != nil {
		return goal.Recipe{}, fault.Invalid("name", fmt.Sprintf("the recipe %s: %v", name, err), "correct "+file)
	}
	return r, nil
}

// ParseRecipe parses a recipe from YAML. Unknown fields are refused.
func ParseRecipe(b []byte) (goal.Recipe, error) {
	var r goal.Recipe
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&r); err != nil && !errors.Is(err, io.EOF) {
		return r, fmt.Errorf("it cannot be read: %w", err)
	}
	return r, r.Validate()
}

// MarshalRecipe encodes a recipe for its file.
func MarshalRecipe(r goal.Recipe) ([]byte, error) {
	b, err := yaml.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("recipe %s: %w", r.Name, err)
	}
	return b, nil
}

// SaveRecipe saves a new recipe. It never replaces one with that name, because another goal or the user may need it.
func (c *Config) SaveRecipe(r goal.Recipe) error {
	if err := r.Validate(); err != nil {
		return fault.Invalid("recipe", err.Error(), "correct the recipe").OnCommandLine(
			"goalctl recipes show NAME shows how a recipe is written")
	}
	file, err := c.recipeFile(r.Name)
	if err != nil {
		return err
	}
	b, err := MarshalRecipe(r)
	if err == nil {
		err = os.MkdirAll(c.recipeDir(), 0o700)
	}
	if err != nil {
		return fmt.Errorf("recipe %s: %w", r.Name, err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.Invalid("name", fmt.Sprintf("there is a recipe %q already", r.Name),
			"choose another name, or remove that one first")
	}
	if err != nil {
		return fmt.Errorf("recipe %s: %w", r.Name, err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("recipe %s: %w", r.Name, err), os.Remove(file))
	}
	return nil
}

// deletedRecipe returns where a recipe is after it was deleted. Nothing reads recipes there.
func (c *Config) deletedRecipe(name string) string {
	return filepath.Join(c.recipeDir(), "deleted", name+".yaml")
}

// DeleteRecipe removes a recipe. RestoreRecipe undoes it.
func (c *Config) DeleteRecipe(name string) error {
	file, err := c.recipeFile(name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return unknownRecipe(name)
	}
	to := c.deletedRecipe(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(file, to)); err != nil {
		return fmt.Errorf("recipe %s: %w", name, err)
	}
	return nil
}

// RestoreRecipe brings back the recipe of that name that was deleted last.
func (c *Config) RestoreRecipe(name string) error {
	file, err := c.recipeFile(name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return fault.Invalid("name", fmt.Sprintf("there is a recipe %q already", name), "remove that one first")
	}
	if err := os.Rename(c.deletedRecipe(name), file); errors.Is(err, fs.ErrNotExist) {
		return unknownRecipe(name)
	} else if err != nil {
		return fmt.Errorf("recipe %s: %w", name, err)
	}
	return nil
}
